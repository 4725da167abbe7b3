"""Serves a GGUF file with the llama.cpp server that the wheel of xllamacpp carries: serve.py MODEL.gguf CONTEXT SLOTS full|default

Writes the address to standard output, and ends when standard input does.
"""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = int(sys.argv[2])
params.n_parallel = int(sys.argv[3])
params.port = 0
params.cpuparams.n_threads = 1
if sys.argv[4] == "full":
    # Keys and values in full precision, so that probabilities can be compared with those of other programs.
    params.cache_type_k = xllamacpp.ggml_type.GGML_TYPE_F32
    params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
