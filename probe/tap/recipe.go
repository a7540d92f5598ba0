package tap

import (
	"context"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"tokscope/metrics/turn"
)

// Recipe says how one kind of client is made to send its requests to a tap, without a change to
// any file of the person's. What clients do changes within weeks. Each keeps the path of its base URL.
type Recipe struct {
	turn.Agent
	Ways []Way // the first that applies is taken
}

// Way is how a client is started in one of its settings.
type Way struct {
	If   []string                                // variables of which one must be set; none: it always applies
	When func(ctx context.Context, p *Plan) bool // what else must hold
	Own  bool                                    // only where the upstream is Base
	// From are the places of a base URL that the person has set, the strongest first: a variable, or
	// FILE#FIELD (see Plan.value). Base is the client's own, "" for none: then Lacks says what is missing.
	From        []string
	Base, Lacks string
	// How is a line of a shell: variables, the command, and arguments that stand before the person's, which are
	// stronger; or, without From and Base, what to write into the client's configuration. {url} is the base URL
	// at the tap: the tap's address with the path of the client's own; {SOCKET} is the tap's; {ID} and {VERSION}
	// are what When has found. Variables without them yield to the person's.
	How string
}

const tried = "2026-11-28"

// Recipes is the table of clients. A client is a row.
var Recipes = []Recipe{
	{turn.Agent{Command: "claude", Title: "Claude Code", Version: "2.1.332", Tried: tried,
		Deadlines: turn.Deadlines{Says: 20 * time.Second, GivesUp: 180 * time.Second, Pings: true},
		Around: "an ANTHROPIC_BASE_URL in managed settings or in a file that --settings names is stronger than " +
			"the tap's; CLAUDE_CODE_USE_BEDROCK in a file of settings leads elsewhere",
		Differs: "with a login, a key in its settings, another version than the one that was tried, on a managed " +
			"machine or on Windows, one name is missing in the header anthropic-beta: mid-conversation-system-clear-at"}, []Way{
		{If: []string{"CLAUDE_CODE_USE_BEDROCK"}, From: []string{"ANTHROPIC_BEDROCK_BASE_URL"},
			How:   "ANTHROPIC_BEDROCK_BASE_URL={url} claude",
			Lacks: "Bedrock accepts only requests that are signed for its own host, so they cannot be tapped"},
		{If: []string{"CLAUDE_CODE_USE_VERTEX"}, From: []string{"ANTHROPIC_VERTEX_BASE_URL"},
			How:   "ANTHROPIC_VERTEX_BASE_URL={url} claude",
			Lacks: "give the address of Vertex with --to, such as https://us-east5-aiplatform.googleapis.com/v1"},
		// Its vendor's own way through a socket, in which it speaks as to its own host, but leaves out a login, and
		// what a managed machine says of one. A version without it would send the key to that host in plain text.
		{If: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
			When: func(ctx context.Context, p *Plan) bool {
				_, linux := os.Stat("/etc/claude-code")
				_, mac := os.Stat("/Library/Application Support/ClaudeCode")
				return runtime.GOOS != "windows" && linux != nil && mac != nil &&
					p.value("${CLAUDE_CONFIG_DIR:-~}/.claude.json#oauthAccount.accountUuid") == "" &&
					strings.HasPrefix(p.says(ctx, "--version"), p.Recipe.Version+" ")
			}, Own: true, From: claudeURL, Base: "https://api.anthropic.com",
			How: "ANTHROPIC_UNIX_SOCKET={SOCKET} ANTHROPIC_BASE_URL=http://api.anthropic.com claude"},
		// Else it asks for all tools instead of a search for them, with a system prompt in other blocks. A base
		// URL in a file of settings is stronger than a variable.
		{Own: true, From: claudeURL, Base: "https://api.anthropic.com",
			How: "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1 ENABLE_TOOL_SEARCH=true " + claudeHow},
		{From: claudeURL, Base: "https://api.anthropic.com", How: claudeHow}}},
	{turn.Agent{Command: "codex", Title: "Codex", Version: "0.171.0", Tried: tried,
		Deadlines: turn.Deadlines{GivesUp: 300 * time.Second},
		Around: "a profile, or -c model_provider, may choose another provider: give -c model_providers.ID.base_url " +
			"with the address of tokscope tap --to URL",
		Differs: "with a login by ChatGPT the field mcp_attribution is missing and the session names the provider tap; " +
			"for an account that is bound to a region also the header x-openai-account-routing-override"}, []Way{
		{When: func(_ context.Context, p *Plan) bool {
			p.own = p.value(codexConfig + "model_provider")
			return p.own != "openai" && regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString(p.own)
		}, From: []string{codexConfig + "model_providers.{ID}.base_url"},
			How:   `codex -c 'model_providers.{ID}.base_url="{url}"'`,
			Lacks: "no base_url of the provider {ID} in config.toml: give its address with --to"},
		// Of its own provider it keeps but the path behind the account's own host, and so goes around the tap.
		{When: func(ctx context.Context, p *Plan) bool {
			said := regexp.MustCompile(`codex-cli ([0-9]\S*)`).FindStringSubmatch(p.says(ctx, "--version"))
			p.own = slices.Concat(said, []string{"", p.Recipe.Version})[1] // the one tried where it says none
			return strings.Contains(p.says(ctx, "login", "status"), "ChatGPT")
		}, From: []string{codexConfig + "chatgpt_base_url"}, Base: "https://chatgpt.com/backend-api",
			How: `codex -c 'model_provider="tap"' -c 'model_providers.tap={name="OpenAI",base_url="{url}/codex",` +
				`wire_api="responses",requires_openai_auth=true,supports_websockets=true,` +
				`http_headers={version="{VERSION}"}}'`},
		{From: []string{codexConfig + "openai_base_url"}, Base: "https://api.openai.com/v1",
			How: `codex -c 'openai_base_url="{url}"'`}}},
	{turn.Agent{Command: "opencode", Title: "opencode", Version: "1.18.33", Tried: tried,
		Around: "it asked another provider than the one whose key is in the environment, or a file of the project " +
			"sets its own baseURL: " + opencodeTo}, []Way{
		{If: []string{"OPENCODE_CONFIG_CONTENT"}, Lacks: "OPENCODE_CONFIG_CONTENT is set: " + opencodeTo},
		{If: []string{"ANTHROPIC_API_KEY"}, From: opencodeURL("anthropic", "ANTHROPIC_BASE_URL"),
			Base: "https://api.anthropic.com/v1",
			How:  `OPENCODE_CONFIG_CONTENT='{"provider":{"anthropic":{"options":{"baseURL":"{url}"}}}}' opencode`},
		{If: []string{"OPENAI_API_KEY"}, From: opencodeURL("openai", "OPENAI_BASE_URL"),
			Base: "https://api.openai.com/v1",
			How:  `OPENCODE_CONFIG_CONTENT='{"provider":{"openai":{"options":{"baseURL":"{url}"}}}}' opencode`},
		{Lacks: "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set: " + opencodeTo}}},
	{turn.Agent{Command: "gemini", Title: "Gemini CLI", Version: "0.61.0", Tried: tried,
		Around: "choose the login in its settings that the environment has a key for: GEMINI_API_KEY, or Google's"}, []Way{
		{If: []string{"GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"}, From: dotenv("GOOGLE_GEMINI_BASE_URL", ".gemini"),
			Base: "https://generativelanguage.googleapis.com", How: "GOOGLE_GEMINI_BASE_URL={url} gemini"},
		{From: dotenv("CODE_ASSIST_ENDPOINT", ".gemini"), Base: "https://cloudcode-pa.googleapis.com",
			How: "CODE_ASSIST_ENDPOINT={url} gemini"}}},
	{turn.Agent{Command: "qwen", Title: "Qwen Code", Version: "0.24.4", Tried: tried,
		Around: "only --auth-type openai can be tapped, and a baseUrl of modelProviders is stronger"}, []Way{
		// It speaks to its own provider otherwise than to others: the variable names a proxy before that one.
		{Own: true, From: dotenv("OPENAI_BASE_URL", ".qwen"), Base: "https://dashscope.aliyuncs.com/compatible-mode/v1",
			How: "OPENAI_BASE_URL={url} DASHSCOPE_PROXY_BASE_URL={url} qwen"},
		{From: dotenv("OPENAI_BASE_URL", ".qwen"), Base: "https://dashscope.aliyuncs.com/compatible-mode/v1",
			How: "OPENAI_BASE_URL={url} qwen"}}},
	{turn.Agent{Command: "copilot", Title: "Copilot CLI", Version: "1.0.102", Tried: tried,
		Around: "models that GitHub hosts go elsewhere: choose one of your own provider with COPILOT_MODEL"}, []Way{
		{From: []string{"COPILOT_PROVIDER_BASE_URL"}, How: "COPILOT_PROVIDER_BASE_URL={url} copilot",
			Lacks: "models that GitHub hosts cannot be tapped: set COPILOT_PROVIDER_BASE_URL to a provider of your own"}}},
	{turn.Agent{Command: "aider", Title: "aider", Version: "0.86.2", Tried: tried,
		Around: "a file .env of the project, or another provider in --model, leads elsewhere",
		Differs: "it asks OpenAI for usage (stream_options.include_usage) at api.openai.com alone, so with the tap the " +
			"tokens of its models are not known; with Anthropic's nothing differs"}, []Way{
		{If: []string{"OPENAI_API_BASE", "OPENAI_API_KEY"}, From: []string{"OPENAI_API_BASE"},
			Base: "https://api.openai.com/v1", How: "OPENAI_API_BASE={url} aider"},
		{From: []string{"ANTHROPIC_BASE_URL"}, Base: "https://api.anthropic.com", How: "ANTHROPIC_BASE_URL={url} aider"}}},
	{turn.Agent{Command: "cline", Title: "Cline", Version: "3.0.65", Tried: tried}, []Way{
		{How: "cline auth -p openai -k KEY -m MODEL -b {url}/v1", Lacks: inFile}}},
	{turn.Agent{Command: "cn", Title: "Continue", Version: "1.5.47", Tried: tried}, []Way{
		{How: "apiBase: {url}/v1   (of the model in config.yaml, or a copy: cn --config FILE)", Lacks: inFile}}},
	{turn.Agent{Command: "crush", Title: "Crush"}, []Way{
		{How: `"base_url": "{url}/v1"   (of providers.ID in crush.json)`, Lacks: inFile}}},
	{turn.Agent{Command: "goose", Title: "goose"}, []Way{
		{How: "OPENAI_HOST={url}   (OPENAI_BASE_PATH stays), or ANTHROPIC_HOST={url}", Lacks: inFile}}},
	{turn.Agent{Command: "zed", Title: "Zed"}, []Way{
		{How: `"api_url": "{url}/v1"   (language_models.openai_compatible.NAME of settings)`, Lacks: inFile}}},
	{turn.Agent{Command: "cursor", Title: "Cursor"}, []Way{
		{Lacks: "it cannot be tapped: its servers send the requests, not this machine"}}},
	{turn.Agent{Command: "cursor-agent", Title: "Cursor CLI"}, []Way{
		{Lacks: "it cannot be tapped: it has no base URL"}}},
}

// What several ways have in common.
const (
	inFile = "its base URL stands in its own configuration, which tokscope does not change: run tokscope tap --to URL, " +
		"which prints what to write there"
	claudeHow   = `ANTHROPIC_BASE_URL={url} claude --settings '{"env":{"ANTHROPIC_BASE_URL":"{url}"}}'`
	codexConfig = "${CODEX_HOME:-~/.codex}/config.toml#"
	opencodeTo  = "run tokscope tap --to URL and set provider.ID.options.baseURL in its configuration"
)

var claudeURL = []string{"/etc/claude-code/managed-settings.json#env.ANTHROPIC_BASE_URL",
	".claude/settings.local.json#env.ANTHROPIC_BASE_URL", ".claude/settings.json#env.ANTHROPIC_BASE_URL",
	"${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json#env.ANTHROPIC_BASE_URL", "ANTHROPIC_BASE_URL"}

// opencodeURL are the places of a base URL of a provider of opencode.
func opencodeURL(provider, variable string) []string {
	field, folder := "#provider."+provider+".options.baseURL", "${XDG_CONFIG_HOME:-~/.config}/opencode/"
	return []string{"opencode.json" + field, "opencode.jsonc" + field, folder + "opencode.json" + field,
		folder + "opencode.jsonc" + field, variable}
}

// dotenv are the places of a variable, also in the files of a client that has them in a folder.
func dotenv(variable, folder string) []string {
	return []string{variable, folder + "/.env#" + variable, ".env#" + variable, "~/" + folder + "/.env#" + variable,
		"~/.env#" + variable}
}
