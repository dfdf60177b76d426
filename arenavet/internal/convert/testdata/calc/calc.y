%{
// Package calc has a parser that goyacc has made. Its actions are changed in calc.y and in calc.go alike.
package calc

import (
	"strings"
)

var trim = strings.TrimSpace

var kept []*Node
%}

%union {
  text string
  node *Node
  list []*Node
}

%token <text> WORD
%type <node> item
%type <list> list

%%

all:
  list
  {
    setResult(yylex, $1)
  }

list:
  item { $$ = []*Node{$1} }
| list ',' item
  {
    $$ = append($1, $3)
  }

item:
  WORD { $$ = &Node{Text: $1} } | '+' WORD { $$ = newNode($2, "+") }
| '{' list '}'
  {
    $$ = &Node{List: $2}
  }
| '!' WORD
  {
    // What is kept stays on the heap, and what is beside it moves.
    kept = append(kept, &Node{Text: $2})
    $$ = &Node{Text: "kept " + $2}
  }
| '=' item item
  {
    $2.List = append($2.List, $3)
    $$ = $2
  }
