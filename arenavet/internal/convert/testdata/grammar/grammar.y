%{
// Package grammar has a parser that an older goyacc made: its output is not what is to be changed.
package grammar
%}
%%
sum: NUMBER { $$ = &node{text: $1 + ";"} }
