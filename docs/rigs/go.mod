module rigs

go 1.26.0

require tokscope v0.0.0

replace tokscope => ../..
