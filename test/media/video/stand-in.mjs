#!/usr/bin/env node
// Stands in for ffmpeg: an input file is 32 bytes that look like MP4, then JSON that says how to behave. It refuses
// arguments that a stranger's file must not be decoded without.
import { readFileSync } from 'node:fs'

const args = process.argv.slice(2)
const after = (name) => args[args.indexOf(name) + 1] ?? ''

function fail(message) {
  process.stderr.write(`[mov,mp4 @ 0x1234] ${message}\n`)
  process.exit(1)
}

const input = args.indexOf('-i')
const MUST = { '-protocol_whitelist': 'file', '-f': 'mov', '-threads': '2', '-loglevel': 'error' }
for (const [name, value] of Object.entries(MUST)) {
  const at = args.indexOf(name)
  if (at === -1 || at > input || args[at + 1] !== value) fail(`without ${name} ${value} before the input`)
}
for (const name of ['-nostdin', '-max_pixels', '-codec_whitelist', '-copyts']) if (!args.includes(name)) fail(`without ${name}`)
if (!/^file:\//.test(after('-i'))) fail('an input that is no file')
const others = Object.keys(process.env).filter((name) => !['PATH', 'LC_ALL', 'PWD', 'SHLVL', '_', 'OLDPWD', 'SystemRoot'].includes(name))
if (others.length > 0) fail(`with the environment ${others.join()}`)

const isList = args.includes('framecrc')
const script = JSON.parse(readFileSync(after('-i').slice('file:'.length)).subarray(32).toString())
const { hang, die, says, kill, code = 0, spin } = isList ? (script.list ?? {}) : (script.decode ?? {})
const { width = 4, height = 2, frames = 30, endless = false } = script

if (says) process.stderr.write(says)
if (die) fail(die)
if (hang) setInterval(() => {}, 1000)
if (spin) for (;;) Math.random()
if (kill) process.kill(process.pid, 'SIGSEGV')

const put = (bytes) => new Promise((resolve) => process.stdout.write(bytes, resolve))
if (isList && !hang) {
  await put(`#tb 0: 1/10\n#dimensions 0: ${width}x${height}\n`)
  const line = (i) => `0, ${i - 2}, ${i + 5}, 1, 100, 0x0\n`
  if (endless) for (let i = 0; ; i += 1000) await put(Array.from({ length: 1000 }, (_, n) => line(i + n)).join(''))
  // Not in the order in which they are shown, as streams with B-frames are; and one that is never shown.
  const order = Array.from({ length: frames }, (_, i) => i).sort((a, b) => (a % 3) - (b % 3))
  await put(`0, -9, -4, 1, 100, 0x0, F=0x4\n${order.map(line).join('')}`)
} else if (!hang) {
  const times = [...after('-vf').matchAll(/gte\(t,([\d.]+)\)/g)].map((match) => Number(match[1]))
  if (Number(after('-frames:v')) !== times.length) fail('another number of frames')
  for (const time of script.more ? [...times, 0] : times.slice(0, script.most ?? 64)) {
    const [w, h] = [script.realWidth ?? width, height]
    await put(`P6\n${w} ${h}\n255\n`)
    // Tenths of a second, as the colour of all pixels.
    await put(Buffer.alloc(w * h * 3, Math.round((time - 0.5) * 10)))
  }
}
if (!hang) process.exitCode = code
