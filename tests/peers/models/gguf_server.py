"""Serves a GGUF file with llama.cpp's own server on a free port of 127.0.0.1, and says where.

    gguf_server.py FILE KEY [THREADS]
"""

import signal
import sys
from pathlib import Path

import xllamacpp

LONGEST_CONVERSATION = 32768  # tokens, or what the model can


def parameters(file, key, threads="1"):
    asked = xllamacpp.CommonParams()
    asked.model.path = file
    asked.model_alias = {Path(file).stem}
    asked.api_keys = [key]
    asked.port = 0
    asked.n_ctx = LONGEST_CONVERSATION
    asked.use_jinja = True
    asked.ui = False
    asked.verbosity = 1  # errors
    # On a busy computer, threads that wait for each other cost more than they bring.
    asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = int(threads)
    return asked


server = xllamacpp.Server(parameters(*sys.argv[1:]))
print(f"listening on {server.listening_address}", flush=True)
signal.pause()
