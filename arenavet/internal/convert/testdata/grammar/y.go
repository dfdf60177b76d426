//line grammar.y:2
package grammar

//line grammar.y:6
func action(text string) *node { return &node{text: text + ";"} }
