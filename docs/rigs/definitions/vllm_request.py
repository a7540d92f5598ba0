"""Runs vLLM's own request function N times, without torch: its heavy imports are stubs.

usage: vllm_request.py VLLM_DIR URL N      VLLM_DIR is the folder vllm/ of an unpacked wheel; needs aiohttp, regex and tqdm

Prints one JSON object a request, times in seconds."""

import argparse
import asyncio
import json
import logging
import sys
import types

SOURCE, URL, N = sys.argv[1], sys.argv[2], int(sys.argv[3])


def stub(name, **have):
    """A module in which every other name is an empty class or a function that does nothing."""
    m = types.ModuleType(name)
    m.__dict__.update(have)
    m.__getattr__ = lambda k: type(k, (), {}) if k[:1].isupper() else (lambda *_, **__: None)
    m.__path__ = []
    sys.modules[name] = m


class Placeholder:
    def __init__(self, *_):
        pass

    def placeholder_attr(self, *_):
        return self

    def __getattr__(self, _):
        return self


for n in "inputs lora lora.request lora.utils multimodal multimodal.audio multimodal.image multimodal.utils transformers_utils transformers_utils.repo_utils utils".split():
    stub("vllm." + n)
stub("vllm")
sys.modules["vllm"].__path__ = [SOURCE]
stub("vllm.utils.import_utils", PlaceholderModule=Placeholder)
stub("vllm.utils.mistral", is_mistral_tokenizer=lambda _: False)
stub("vllm.utils.gc_utils", freeze_gc_heap=lambda: None)
stub("vllm.utils.network_utils", join_host_port=lambda h, p: f"{h}:{p}")
stub("vllm.utils.argparse_utils", FlexibleArgumentParser=argparse.ArgumentParser)
stub("vllm.tokenizers", TokenizerLike=object)
stub("vllm.logger", init_logger=logging.getLogger)

import aiohttp  # noqa: E402
from vllm.benchmarks.lib import endpoint_request_func as vllm  # noqa: E402


async def main():
    async with aiohttp.ClientSession() as session:
        for _ in range(N):
            ask = vllm.RequestFuncInput(prompt="hi", api_url=URL + "/chat/completions", prompt_len=1, output_len=60, model="m")
            o = await vllm.async_request_openai_chat_completions(ask, session)
            if not o.success:
                sys.exit(o.error)
            print(json.dumps({"ttft": o.ttft, "latency": o.latency, "tokens": o.output_tokens, "itl": o.itl}))


asyncio.run(main())
