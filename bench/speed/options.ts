// The command line of the bench, and what a run of it sets up.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Context, Section } from './context.ts'
import { arePeersInstalled, ensurePeers, peersFolder } from './peers/install.ts'
import { DEFAULT_FOLDER, ensureRandomModel } from './random-model.ts'
import { grid } from './sections/grid.ts'
import { overhead } from './sections/overhead.ts'
import { peers } from './sections/peers.ts'
import { pictures } from './sections/pictures.ts'
import { roofline } from './sections/roofline.ts'

export const SECTIONS: readonly Section[] = [peers, roofline, grid, overhead, pictures]

export const USAGE = `  --only a,b     sections to run: ${SECTIONS.map(({ name }) => name).join(', ')}
  --rounds N     counted rounds
  --fp32         the random model's decoder in float, not int8
  --full         everything cold too, whatever it takes
  --threads N    threads of each contender; default 2, or what there is
  --model FOLDER where the random model is, or is put; default a temporary folder`

export interface Chosen {
  readonly context: Context
  readonly sections: readonly Section[]
  /** For the check: whether to fail, and the results to compare with. */
  readonly strict: boolean
  readonly against: string | undefined
}

/** `isShort`: peers take part where they are installed already, and are not fetched. */
export function chosen(args: readonly string[], defaults: { rounds: number; only: readonly string[]; isShort: boolean }): Chosen {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      fp32: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      threads: { type: 'string' },
      model: { type: 'string' },
      against: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(`usage: npm run bench:speed -- [options], npm run bench:check -- [options]\n${USAGE}\n`)
    process.exit(0)
  }
  const names = values.only?.split(',') ?? defaults.only
  const unknown = names.filter((name) => !SECTIONS.some((section) => section.name === name))
  if (unknown.length > 0) throw new Error(`there is no section ${unknown.join(', ')}\n${USAGE}`)
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  const wantsPeers = names.includes('peers') && (!defaults.isShort || arePeersInstalled())
  if (names.includes('peers') && !wantsPeers) say('the peers are not installed: left out; npm run bench:speed brings them')
  return {
    sections: SECTIONS.filter(({ name }) => names.includes(name) && (name !== 'peers' || wantsPeers)),
    context: {
      rounds: whole(values.rounds, defaults.rounds, '--rounds'),
      threads: whole(values.threads, Math.min(2, availableParallelism()), '--threads'),
      dtype: values.fp32 ? 'fp32' : 'q8',
      randomModel: ensureRandomModel(values.model ?? DEFAULT_FOLDER, say),
      peers: wantsPeers ? (defaults.isShort ? peersFolder() : ensurePeers(say)) : null,
      isFull: values.full,
      isShort: defaults.isShort,
      say,
    },
    strict: values.strict,
    against: values.against,
  }
}

function whole(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} is a whole number from 1 on, received ${text}`)
  return value
}
