package endpoint

// Provider is one line of the table: a service or a kind of local server.
// Users can name it instead of a URL.
type Provider struct {
	// Name is the name to type. Aliases are other names.
	Name    string
	Aliases []string
	// Title is the name that its makers use.
	Title string
	// KeyVars are the variables that hold its key, the preferred first. Servers
	// without keys have none.
	KeyVars []string
	// BaseVar, when set in the environment, replaces URL.
	BaseVar string
	// URL is the base URL. {A|B=default} is replaced by the first variable that
	// is set, else by the default. Without a default, a variable must be set.
	URL string
	// Auth is how the key is sent; "" is AuthBearer.
	Auth string
	// API is the one that it speaks, "" for chat completions.
	API string
	// Model is a small, fast chat model as default; "" means the first listed.
	Model string
	// MaxField is the field that bounds the output, "" for max_tokens.
	MaxField string
	// Local is a server on this machine that needs no key.
	Local bool
}

// Names of fields that bound the output.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	maxOutputTokens     = "max_output_tokens"
)

// providers is the table. Sources of bases and variables: the reference page
// on dialects, §7 and §8.
var providers = []Provider{
	{Name: "openai", Title: "OpenAI", KeyVars: v("OPENAI_API_KEY"),
		URL: "https://api.openai.com/v1", MaxField: maxCompletionTokens},
	{Name: "azure", Aliases: v("azure-openai"), Title: "Azure OpenAI", KeyVars: v("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"),
		BaseVar: "AZURE_OPENAI_ENDPOINT", URL: "https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1",
		Auth: AuthAPIKey, MaxField: maxCompletionTokens},
	{Name: "anthropic", Aliases: v("claude"), Title: "Anthropic",
		KeyVars: v("ANTHROPIC_API_KEY"), URL: "https://api.anthropic.com/v1", API: "messages"},
	{Name: "google", Title: "Gemini", KeyVars: v("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
		URL: "https://generativelanguage.googleapis.com/v1beta", API: "gemini"},
	{Name: "gemini", Title: "Gemini", KeyVars: v("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"),
		URL: "https://generativelanguage.googleapis.com/v1beta/openai"},
	{Name: "groq", Title: "Groq", KeyVars: v("GROQ_API_KEY"), URL: "https://api.groq.com/openai/v1"},
	{Name: "cerebras", Title: "Cerebras", KeyVars: v("CEREBRAS_API_KEY"),
		URL: "https://api.cerebras.ai/v1", MaxField: maxCompletionTokens},
	{Name: "sambanova", Title: "SambaNova", KeyVars: v("SAMBANOVA_API_KEY"), URL: "https://api.sambanova.ai/v1"},
	{Name: "together", Aliases: v("togetherai"), Title: "Together AI",
		KeyVars: v("TOGETHER_API_KEY"), URL: "https://api.together.xyz/v1"},
	{Name: "fireworks", Aliases: v("fireworks-ai"), Title: "Fireworks AI",
		KeyVars: v("FIREWORKS_API_KEY"), URL: "https://api.fireworks.ai/inference/v1"},
	{Name: "deepseek", Title: "DeepSeek", KeyVars: v("DEEPSEEK_API_KEY"), URL: "https://api.deepseek.com/v1"},
	{Name: "mistral", Title: "Mistral", KeyVars: v("MISTRAL_API_KEY"), URL: "https://api.mistral.ai/v1"},
	{Name: "xai", Aliases: v("grok"), Title: "xAI", KeyVars: v("XAI_API_KEY"), URL: "https://api.x.ai/v1"},
	{Name: "openrouter", Title: "OpenRouter", KeyVars: v("OPENROUTER_API_KEY"), URL: "https://openrouter.ai/api/v1"},
	{Name: "nvidia", Aliases: v("nim"), Title: "NVIDIA", KeyVars: v("NVIDIA_API_KEY", "NGC_API_KEY"),
		URL: "https://integrate.api.nvidia.com/v1"},
	{Name: "cloudflare", Aliases: v("workers-ai"), Title: "Cloudflare Workers AI",
		KeyVars: v("CLOUDFLARE_API_KEY", "CLOUDFLARE_API_TOKEN"),
		URL:     "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1"},
	{Name: "bedrock", Aliases: v("aws"), Title: "Amazon Bedrock",
		KeyVars:  v("AWS_BEARER_TOKEN_BEDROCK"),
		URL:      "https://bedrock-runtime.{AWS_REGION|AWS_DEFAULT_REGION=us-east-1}.amazonaws.com/openai/v1",
		MaxField: maxCompletionTokens},
	{Name: "bedrock-mantle", Title: "Amazon Bedrock (mantle)", KeyVars: v("AWS_BEARER_TOKEN_BEDROCK"),
		URL: "https://bedrock-mantle.{AWS_REGION|AWS_DEFAULT_REGION=us-east-1}.api.aws/v1"},
	{Name: "huggingface", Aliases: v("hf"), Title: "Hugging Face",
		KeyVars: v("HF_TOKEN"), URL: "https://router.huggingface.co/v1"},
	{Name: "github", Aliases: v("github-models"), Title: "GitHub Models", KeyVars: v("GITHUB_TOKEN"),
		URL: "https://models.github.ai/inference", Model: "openai/gpt-4.1-mini"},
	{Name: "perplexity", Aliases: v("pplx"), Title: "Perplexity", KeyVars: v("PERPLEXITY_API_KEY"),
		URL: "https://api.perplexity.ai", Model: "sonar"},
	{Name: "moonshot", Aliases: v("kimi"), Title: "Moonshot",
		KeyVars: v("MOONSHOT_API_KEY"), URL: "https://api.moonshot.ai/v1"},
	{Name: "zai", Aliases: v("z.ai"), Title: "Z.ai", KeyVars: v("ZAI_API_KEY", "ZHIPU_API_KEY"),
		URL: "https://api.z.ai/api/paas/v4"},
	{Name: "zhipu", Aliases: v("bigmodel"), Title: "Zhipu", KeyVars: v("ZHIPU_API_KEY"),
		URL: "https://open.bigmodel.cn/api/paas/v4"},
	{Name: "alibaba", Aliases: v("dashscope", "qwen"), Title: "Alibaba Model Studio", KeyVars: v("DASHSCOPE_API_KEY"),
		URL: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"},
	{Name: "deepinfra", Title: "DeepInfra", KeyVars: v("DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"),
		URL: "https://api.deepinfra.com/v1/openai"},
	{Name: "novita", Title: "Novita AI", KeyVars: v("NOVITA_API_KEY"), URL: "https://api.novita.ai/openai"},
	{Name: "nebius", Title: "Nebius", KeyVars: v("NEBIUS_API_KEY"), URL: "https://api.tokenfactory.nebius.com/v1"},
	{Name: "baseten", Title: "Baseten", KeyVars: v("BASETEN_API_KEY"), URL: "https://inference.baseten.co/v1"},
	{Name: "siliconflow", Title: "SiliconFlow", KeyVars: v("SILICONFLOW_API_KEY"),
		URL: "https://api.siliconflow.com/v1"},
	{Name: "scaleway", Title: "Scaleway", KeyVars: v("SCALEWAY_API_KEY"), URL: "https://api.scaleway.ai/v1"},
	{Name: "ovh", Aliases: v("ovhcloud"), Title: "OVHcloud", KeyVars: v("OVHCLOUD_API_KEY"),
		URL: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1"},
	{Name: "chutes", Title: "Chutes", KeyVars: v("CHUTES_API_KEY"), URL: "https://llm.chutes.ai/v1"},
	{Name: "wandb", Title: "W&B Inference", KeyVars: v("WANDB_API_KEY"), URL: "https://api.inference.wandb.ai/v1"},
	{Name: "friendli", Title: "Friendli", KeyVars: v("FRIENDLI_TOKEN"), URL: "https://api.friendli.ai/serverless/v1"},
	{Name: "inception", Title: "Inception", KeyVars: v("INCEPTION_API_KEY"), URL: "https://api.inceptionlabs.ai/v1"},
	{Name: "vercel", Aliases: v("ai-gateway"), Title: "Vercel AI Gateway",
		KeyVars: v("AI_GATEWAY_API_KEY"), URL: "https://ai-gateway.vercel.sh/v1"},
	{Name: "ollama-cloud", Title: "Ollama cloud", KeyVars: v("OLLAMA_API_KEY"), URL: "https://ollama.com/v1"},
	{Name: "cohere", Title: "Cohere", KeyVars: v("COHERE_API_KEY"), URL: "https://api.cohere.ai/compatibility/v1"},

	{Name: "ollama", Title: "Ollama", BaseVar: "OLLAMA_HOST", URL: "http://127.0.0.1:11434/v1", Local: true},
	{Name: "ollama-native", Title: "Ollama", BaseVar: "OLLAMA_HOST",
		URL: "http://127.0.0.1:11434", API: "ollama", Local: true},
	{Name: "lmstudio", Aliases: v("lm-studio"), Title: "LM Studio", KeyVars: v("LMSTUDIO_API_KEY", "LM_API_TOKEN"),
		URL: "http://127.0.0.1:1234/v1", Local: true},
	{Name: "llama.cpp", Aliases: v("llamacpp", "llama-server"), Title: "llama.cpp", KeyVars: v("LLAMA_API_KEY"),
		URL: "http://127.0.0.1:{LLAMA_ARG_PORT=8080}/v1", Local: true},
	{Name: "vllm", Title: "vLLM", KeyVars: v("VLLM_API_KEY"), URL: "http://127.0.0.1:8000/v1", Local: true},
	{Name: "sglang", Title: "SGLang", URL: "http://127.0.0.1:30000/v1", Local: true},
	{Name: "tgi", Title: "TGI", URL: "http://127.0.0.1:3000/v1", Local: true},
	{Name: "litellm", Title: "LiteLLM", KeyVars: v("LITELLM_API_KEY"), URL: "http://127.0.0.1:4000/v1", Local: true},
	{Name: "docker", Aliases: v("model-runner"), Title: "Docker Model Runner",
		URL: "http://127.0.0.1:12434/engines/v1", Local: true},
	{Name: "jan", Title: "Jan", URL: "http://127.0.0.1:1337/v1", Local: true},
	{Name: "koboldcpp", Title: "KoboldCpp", URL: "http://127.0.0.1:5001/v1", Local: true},
}

func v(s ...string) []string { return s }

// Providers returns the table: services first, then local servers. The
// result's slices are shared and read only.
func Providers() []Provider { return append([]Provider(nil), providers...) }
