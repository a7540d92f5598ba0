"""Runs vLLM's own `vllm bench serve` without torch: its heavy imports are stubs.

usage: vllm_serve.py VLLM_DIR ARGUMENT …      VLLM_DIR is the folder vllm/ of an unpacked wheel; needs aiohttp, regex, tqdm, numpy, pillow, pybase64"""

import argparse
import logging
import sys
import types

SOURCE = sys.argv.pop(1)


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


class Words:
    """A tokenizer whose tokens are words."""

    def __call__(self, text, **_):
        return types.SimpleNamespace(input_ids=text.split())


class Parser(argparse.ArgumentParser):
    def add_argument(self, *args, **kw):
        kw.pop("deprecated", None)
        return super().add_argument(*args, **kw)


for n in "inputs lora lora.request lora.utils multimodal multimodal.audio multimodal.image multimodal.utils transformers_utils transformers_utils.repo_utils utils".split():
    stub("vllm." + n)
stub("vllm")
sys.modules["vllm"].__path__ = [SOURCE]
stub("vllm.utils.import_utils", PlaceholderModule=Placeholder)
stub("vllm.utils.mistral", is_mistral_tokenizer=lambda _: False)
stub("vllm.utils.gc_utils", freeze_gc_heap=lambda: None)
stub("vllm.utils.network_utils", join_host_port=lambda h, p: f"{h}:{p}")
stub("vllm.utils.argparse_utils", FlexibleArgumentParser=Parser)
stub("vllm.tokenizers", TokenizerLike=object, get_tokenizer=lambda *_, **__: Words())
stub("vllm.logger", init_logger=logging.getLogger)

from vllm.benchmarks import serve  # noqa: E402

parser = Parser()
serve.add_cli_args(parser)
serve.main(parser.parse_args())
