#!/bin/sh
# Makes the clips beside it with ffmpeg 5.1 (Debian 12). Each second has one colour: red, green, blue; 64 x 48 pixels.
set -eu
cd "$(dirname "$0")"
colours="color=red:s=64x48:r=10:d=1[a];color=lime:s=64x48:r=10:d=1[b];color=blue:s=64x48:r=10:d=1[c];[a][b][c]concat=n=3"
make() { ffmpeg -nostdin -v error -y -f lavfi -i "$colours" -fflags +bitexact -flags:v +bitexact -map_metadata -1 "$@"; }

make -c:v libx264 -pix_fmt yuv420p -g 15 colours.mp4
make -c:v libvpx-vp9 -pix_fmt yuv420p -g 15 colours.webm
# Five of the thirty frames, with the times that they had.
make -c:v libx264 -pix_fmt yuv420p -vf "select='eq(n,0)+eq(n,4)+eq(n,13)+eq(n,21)+eq(n,29)'" -vsync vfr uneven.mp4
# The left half is white. The matrix of its track says to turn it by 90 degrees clockwise, so that white is on top.
ffmpeg -nostdin -v error -y -f lavfi -i "color=black:s=64x48:r=5:d=1,drawbox=w=32:h=48:color=white:t=fill" -c:v libx264 -pix_fmt yuv420p \
  -fflags +bitexact -flags:v +bitexact -map_metadata -1 turned.mp4
python3 - <<'PYTHON'
import struct
data = bytearray(open('turned.mp4', 'rb').read())
matrix = data.index(b'tkhd') + 44
data[matrix:matrix + 36] = struct.pack('>9i', 0, 1 << 16, 0, -1 << 16, 0, 0, 48 << 16, 0, 1 << 30)
open('turned.mp4', 'wb').write(data)
PYTHON
ffmpeg -nostdin -v error -y -f lavfi -i "sine=duration=0.2" -c:a aac -b:a 16k -fflags +bitexact -map_metadata -1 sound.mp4
