package tap

import (
	"time"

	"tokscope/metrics/turn"
)

// Recipe says how one kind of client is made to send its requests to a tap, without a
// change to any file of the person's. What clients do changes within weeks.
type Recipe struct {
	turn.Agent
	// Hidden: it keeps the path of its base URL, so that Options.Hidden may be set.
	Hidden bool
	// Ways are how it is started. The first that applies is taken.
	Ways []Way
	// Lines are what a person writes into the configuration of a client that has its address there
	// alone.
	Lines []string
}

// Way starts a client in one of its settings. In Env, Args and Lines {url} stands for the
// base URL at the tap: the tap's address with the path that the client's own base URL has.
type Way struct {
	// If are variables of which one must be set; none: it always applies.
	If []string
	// Login is a command of the client that must print Says, and LoginSays what.
	Login     []string
	LoginSays string
	// Choice is the place of a name that must be there, and be another than NoChoice. It stands
	// for {choice} in From and Args.
	Choice, NoChoice string
	// From are the places of a base URL that the person has set, the strongest first: a
	// variable, or FILE#FIELD of a file of settings (see place). Base is the client's own, ""
	// for none: then Lacks says what is missing.
	From  []string
	Base  string
	Lacks string
	// Env are the variables to set, NAME=VALUE; an object as the value is merged into that of
	// the person. Own are those to set only before Base, unless
	// the person has set them: for what the client does at its own address alone.
	Env, Own []string
	// Args stand before the person's. {env} stands for the variables as a JSON object. They are
	// left out where the person gives the flag Unless.
	Args   []string
	Unless string
}

const tried = "2026-11-28"

const claudeSettings = "/settings.json#env.ANTHROPIC_BASE_URL"

// Recipes is the table of clients. A client is a row.
var Recipes = []Recipe{
	{
		Agent: turn.Agent{Command: "claude", Title: "Claude Code", Version: "2.1.332", Tried: tried,
			Deadlines: turn.Deadlines{Says: 20 * time.Second, GivesUp: 180 * time.Second, Pings: true},
			Around: "an ANTHROPIC_BASE_URL in managed settings or in a file that --settings names is stronger than " +
				"the tap's; CLAUDE_CODE_USE_BEDROCK in a file of settings leads elsewhere"},
		Hidden: true,
		Ways: []Way{
			{If: []string{"CLAUDE_CODE_USE_BEDROCK"}, From: []string{"ANTHROPIC_BEDROCK_BASE_URL"},
				Env:   []string{"ANTHROPIC_BEDROCK_BASE_URL={url}"},
				Lacks: "Bedrock accepts only requests that are signed for its own host, so they cannot be tapped"},
			{If: []string{"CLAUDE_CODE_USE_VERTEX"}, From: []string{"ANTHROPIC_VERTEX_BASE_URL"},
				Env:   []string{"ANTHROPIC_VERTEX_BASE_URL={url}"},
				Lacks: "give the address of Vertex with --to, such as https://us-east5-aiplatform.googleapis.com/v1"},
			{
				From: []string{"/etc/claude-code/managed-settings.json#env.ANTHROPIC_BASE_URL",
					".claude/settings.local.json#env.ANTHROPIC_BASE_URL", ".claude" + claudeSettings,
					"${CLAUDE_CONFIG_DIR:-~/.claude}" + claudeSettings, "ANTHROPIC_BASE_URL"},
				Base: "https://api.anthropic.com",
				Env:  []string{"ANTHROPIC_BASE_URL={url}"},
				// At a base URL it asks otherwise than at its own: all tools instead of a search for
				// them, and a system prompt in other blocks without the shared cache.
				Own: []string{"_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1", "ENABLE_TOOL_SEARCH=true"},
				// A base URL in a file of settings is stronger than a variable.
				Args: []string{"--settings", `{"env":{env}}`}, Unless: "--settings",
			},
		},
	},
	{
		Agent: turn.Agent{Command: "codex", Title: "Codex", Version: "0.171.0", Tried: tried,
			Deadlines: turn.Deadlines{GivesUp: 300 * time.Second},
			Around: "a profile, or -c model_provider, may choose another provider: give -c model_providers.ID.base_url " +
				"with the address of tokscope tap --to URL"},
		Hidden: true,
		Ways: []Way{
			{Choice: codexConfig + "model_provider", NoChoice: "openai",
				From:  []string{codexConfig + "model_providers.{choice}.base_url"},
				Args:  []string{"-c", `model_providers.{choice}.base_url="{url}"`},
				Lacks: "no base_url of the provider {choice} in config.toml: give its address with --to"},
			// Of its own provider it keeps but the path behind the account's own host, and so goes around the tap.
			{Login: []string{"login", "status"}, LoginSays: "ChatGPT", Base: "https://chatgpt.com/backend-api",
				From: []string{codexConfig + "chatgpt_base_url"},
				Args: []string{"-c", `model_provider="tap"`, "-c", `model_providers.tap={name="OpenAI",` +
					`base_url="{url}/codex",wire_api="responses",requires_openai_auth=true,supports_websockets=true}`}},
			{From: []string{codexConfig + "openai_base_url"}, Base: "https://api.openai.com/v1",
				Args: []string{"-c", `openai_base_url="{url}"`}},
		},
	},
	{
		Agent: turn.Agent{Command: "opencode", Title: "opencode", Version: "1.18.33", Tried: tried,
			Around: "it asked another provider than the one whose key is in the environment, or a file of the project " +
				"sets its own baseURL: run tokscope tap --to URL and set provider.ID.options.baseURL"},
		Hidden: true,
		Ways: []Way{
			{If: []string{"ANTHROPIC_API_KEY"}, From: opencodeURL("anthropic", "ANTHROPIC_BASE_URL"),
				Base: "https://api.anthropic.com/v1", Env: []string{opencodeEnv("anthropic")}},
			{If: []string{"OPENAI_API_KEY"}, From: opencodeURL("openai", "OPENAI_BASE_URL"),
				Base: "https://api.openai.com/v1", Env: []string{opencodeEnv("openai")}},
			{Lacks: "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set: for another provider run tokscope tap --to URL " +
				"and set provider.ID.options.baseURL in its configuration"},
		},
	},
	{
		Agent: turn.Agent{Command: "gemini", Title: "Gemini CLI", Version: "0.61.0", Tried: tried,
			Around: "choose the login in its settings that the environment has a key for: GEMINI_API_KEY, or Google's"},
		Hidden: true,
		Ways: []Way{
			{If: []string{"GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"}, From: dotenv("GOOGLE_GEMINI_BASE_URL", ".gemini"),
				Base: "https://generativelanguage.googleapis.com", Env: []string{"GOOGLE_GEMINI_BASE_URL={url}"}},
			{From: dotenv("CODE_ASSIST_ENDPOINT", ".gemini"), Base: "https://cloudcode-pa.googleapis.com",
				Env: []string{"CODE_ASSIST_ENDPOINT={url}"}},
		},
	},
	{
		Agent: turn.Agent{Command: "qwen", Title: "Qwen Code", Version: "0.24.4", Tried: tried,
			Around: "only --auth-type openai can be tapped, and a baseUrl of modelProviders in its settings is stronger"},
		Hidden: true,
		// It speaks to its own provider otherwise than to others: the variable names a proxy before that one.
		Ways: []Way{{From: dotenv("OPENAI_BASE_URL", ".qwen"), Base: "https://dashscope.aliyuncs.com/compatible-mode/v1",
			Env: []string{"OPENAI_BASE_URL={url}"}, Own: []string{"DASHSCOPE_PROXY_BASE_URL={url}"}}},
	},
	{
		Agent: turn.Agent{Command: "copilot", Title: "Copilot CLI", Version: "1.0.102", Tried: tried,
			Around: "models that GitHub hosts go elsewhere: choose one of your own provider with COPILOT_MODEL"},
		Ways: []Way{{From: []string{"COPILOT_PROVIDER_BASE_URL"}, Env: []string{"COPILOT_PROVIDER_BASE_URL={url}"},
			Lacks: "models that GitHub hosts cannot be tapped: set COPILOT_PROVIDER_BASE_URL to a provider of your own"}},
	},
	{
		Agent: turn.Agent{Command: "aider", Title: "aider", Version: "0.86.2", Tried: tried,
			Around: "a file .env of the project, or another provider in --model, leads elsewhere"},
		Ways: []Way{
			{If: []string{"OPENAI_API_BASE", "OPENAI_API_KEY"}, From: []string{"OPENAI_API_BASE"},
				Base: "https://api.openai.com/v1", Env: []string{"OPENAI_API_BASE={url}"}},
			{From: []string{"ANTHROPIC_BASE_URL"}, Base: "https://api.anthropic.com",
				Env: []string{"ANTHROPIC_BASE_URL={url}"}},
		},
	},
	{
		Agent: turn.Agent{Command: "cline", Title: "Cline", Version: "3.0.65", Tried: tried},
		Lines: []string{"cline auth -p openai -k KEY -m MODEL -b {url}/v1"},
	},
	{
		Agent: turn.Agent{Command: "cn", Title: "Continue", Version: "1.5.47", Tried: tried},
		Lines: []string{"apiBase: {url}/v1   (of the model in config.yaml, or in a copy: cn --config FILE)"},
	},
	{
		Agent: turn.Agent{Command: "crush", Title: "Crush"},
		Lines: []string{`"base_url": "{url}/v1"   (of providers.ID in crush.json)`},
	},
	{
		Agent: turn.Agent{Command: "goose", Title: "goose"},
		Lines: []string{"OPENAI_HOST={url}   (OPENAI_BASE_PATH stays)", "ANTHROPIC_HOST={url}"},
	},
	{
		Agent: turn.Agent{Command: "zed", Title: "Zed"},
		Lines: []string{`"api_url": "{url}/v1"   (of language_models.openai_compatible.NAME in settings.json)`},
	},
	{
		Agent: turn.Agent{Command: "cursor", Title: "Cursor",
			Never: "it cannot be tapped: its servers send the requests, not this machine"},
	},
	{Agent: turn.Agent{Command: "cursor-agent", Title: "Cursor CLI", Never: "it cannot be tapped: it has no base URL"}},
}

// codexConfig is where Codex has its settings.
const codexConfig = "${CODEX_HOME:-~/.codex}/config.toml#"

// opencodeURL are the places of a base URL of a provider of opencode.
func opencodeURL(provider, variable string) []string {
	field := "#provider." + provider + ".options.baseURL"
	folder := "${XDG_CONFIG_HOME:-~/.config}/opencode/opencode"
	return []string{"opencode.json" + field, "opencode.jsonc" + field, folder + ".json" + field, folder + ".jsonc" + field,
		variable}
}

// opencodeEnv is a configuration of opencode that it merges with the person's.
func opencodeEnv(provider string) string {
	return `OPENCODE_CONFIG_CONTENT={"provider":{"` + provider + `":{"options":{"baseURL":"{url}"}}}}`
}

// dotenv are the places of a variable, also in the files of a client that has them in a folder.
func dotenv(variable, folder string) []string {
	return []string{variable, folder + "/.env#" + variable, ".env#" + variable, "~/" + folder + "/.env#" + variable,
		"~/.env#" + variable}
}
