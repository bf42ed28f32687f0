#!/usr/bin/env bash
# Use an installed textsieve as a user would: train, inspect, predict, explain, evaluate. Any failure ends the script.
set -euo pipefail
cd "$(mktemp -d)"
textsieve --version
textsieve train docstrings -o demo.sieve
textsieve info demo.sieve
printf '{"text": "Solve a linear system with a sparse matrix"}\n' | textsieve predict demo.sieve - > out.jsonl
python -c 'import json; assert json.loads(open("out.jsonl", encoding="utf-8").readline())["label"]'
textsieve explain demo.sieve "Solve a linear system with a sparse matrix"
textsieve evaluate demo.sieve docstrings > report.txt
