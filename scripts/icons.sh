#!/usr/bin/env bash
# Renders every icon file from icons/icon.svg. The results are committed, so only someone who changes
# the drawing needs this, with librsvg2-bin and imagemagick installed.
set -euo pipefail
cd "$(dirname "$0")/../icons"

render() { rsvg-convert --width "$1" --height "$1" icon.svg --output "$2"; }

render 32 32x32.png
render 128 128x128.png
render 256 128x128@2x.png
render 512 icon.png

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for size in 16 24 32 48 64 256 1024; do render "$size" "$scratch/$size.png"; done
convert "$scratch"/{16,24,32,48,64,256}.png icon.ico

# An .icns file is a header and a list of (type, length, PNG).
python3 - "$scratch/1024.png" <<'PY'
import struct, sys
parts = [(b"ic07", "128x128.png"), (b"ic08", "128x128@2x.png"), (b"ic09", "icon.png"), (b"ic10", sys.argv[1])]
chunks = [(kind, open(path, "rb").read()) for kind, path in parts]
body = b"".join(kind + struct.pack(">I", len(data) + 8) + data for kind, data in chunks)
open("icon.icns", "wb").write(b"icns" + struct.pack(">I", len(body) + 8) + body)
PY
