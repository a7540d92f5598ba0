package metrics

import "testing"

func TestCompareModels(t *testing.T) {
	for _, tt := range []struct {
		asked, answered string
		want            ModelAnswer
	}{
		{"gpt-4o", "gpt-4o", ModelAsIs},
		{"Llama-3", "llama-3", ModelAsIs},
		{"", "gpt-4o", ModelAsIs},
		{"gpt-4o", "", ModelAsIs},
		{"gpt-4o", "gpt-4o-2024-08-06", ModelAlias},
		{"gpt-4", "gpt-4-0613", ModelAlias},
		{"claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", ModelAlias},
		{"mistral-large-latest", "mistral-large-2411", ModelAlias},
		{"gemini-1.5-pro", "models/gemini-1.5-pro-001", ModelAlias},
		{"llama3", "llama3:latest", ModelAlias},
		{"meta-llama/Llama-3.1-8B", "llama-3.1-8b", ModelAlias},
		{"mid", "/models/mid.gguf", ModelAlias},
		{"gpt-4o-2024-08-06", "gpt-4o", ModelAlias},
		{"no-such", "mid", ModelOther},
		{"gpt-4o", "gpt-4o-mini", ModelOther},
		{"gpt-4", "gpt-4-turbo-2024-04-09", ModelOther},
		{"gpt-4", "gpt-4-32k", ModelOther},
		{"qwen2", "qwen2.5", ModelOther},
		{"llama-3-8b", "llama-3-70b", ModelOther},
		{"llama3:8b", "llama3:70b", ModelOther},
		{"model-1", "model-12", ModelOther},
		{"gpt-4o-2024-05-13", "gpt-4o-2024-08-06", ModelOther},
		{"latest", "mid", ModelOther},
	} {
		if got := CompareModels(tt.asked, tt.answered); got != tt.want {
			t.Errorf("%q answered by %q: %d, want %d", tt.asked, tt.answered, got, tt.want)
		}
	}
}
