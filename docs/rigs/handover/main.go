// Command handover runs the command lines that `tokscope sweep --handover`
// prints, with the real tools, against the embedded endpoint. It compares
// what the endpoint counted with what it counted of tokscope's own sweep:
//
//	go -C docs/rigs run ./handover                            everything, into a temporary folder
//	go -C docs/rigs run ./handover -tokenizer $PWD/tokenizer  only the folder of the tokenizer
//
// It installs the tools with pip, each in an environment of its own, unless
// they are there. That takes some GB and the network. CI does not run it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	tokenizer := flag.String("tokenizer", "",
		"only write a tokenizer that counts like the embedded endpoint into this folder")
	var r comparison
	flag.StringVar(&r.dir, "dir", filepath.Join(os.TempDir(), "tokscope-handover"),
		"folder for everything: environments, tokenizer, results, logs")
	flag.StringVar(&r.python, "python", "python3", "the Python to make environments with, 3.10 to 3.13")
	flag.IntVar(&r.input, "input-tokens", 500, "tokens of a prompt")
	flag.IntVar(&r.output, "output-tokens", 100, "tokens of an answer")
	flag.StringVar(&r.preset, "preset", "llama-3.1-8b@h100", "what the embedded endpoint is")
	only := flag.String("tools", "vLLM,GuideLLM,AIPerf", "the tools to run")
	steps := flag.String("steps", "1:150,8:400,32:960", "users and requests of each step")
	flag.Parse()
	err := r.steps.parse(*steps)
	switch {
	case *tokenizer != "":
		err = writeTokenizer(*tokenizer)
	case err == nil:
		r.only = strings.Split(*only, ",")
		if r.dir, err = filepath.Abs(r.dir); err == nil {
			err = r.run(os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "handover:", err)
		os.Exit(1)
	}
}

// step is a number of users and a number of requests.
type step struct{ users, requests int }

type steps []step

// parse reads "1:150,8:400".
func (s *steps) parse(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		users, requests, ok := strings.Cut(part, ":")
		n, err := strconv.Atoi(users)
		m, err2 := strconv.Atoi(requests)
		if !ok || err != nil || err2 != nil || n < 1 || m < n {
			return fmt.Errorf("-steps %q: write users:requests, such as 1:150,8:400", text)
		}
		*s = append(*s, step{n, m})
	}
	return nil
}
