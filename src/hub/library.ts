// The models on this machine that came from a hub: models/OWNER/NAME/COMMIT/ has a record of where it is from and, as
// NAME/, the model's folder. It is there only when all of it is: it is filled under another name and then renamed.
import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod'
import { DTYPES } from '../backends/onnx/runtime/layout.ts'
import { EngineError } from '../core/errors.ts'
import { makeFolder } from '../core/files.ts'
import { findRecommended } from './recommended.ts'
import type { DtypeWish } from './select-files.ts'

/** Beside a model's folder: where it is from. */
export const RECORD_FILE = 'pulled.json'
/** Beside a model's folder: what `assay models verify` found. */
export const VERIFIED_FILE = 'verified.json'
const DEFAULT_FILE = 'default-model.json'
/** How folders begin that are being filled, or emptied. */
const PARTIAL = '.partial-'
const REMOVED = '.removed-'

const Dtypes = z.enum(DTYPES as [string, ...string[]])
const PullRecord = z.object({
  /** `OWNER/NAME` on the hub. */
  id: z.string(),
  /** The branch, tag or commit that was asked for, and the commit it stood for. */
  revision: z.string(),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  endpoint: z.string(),
  /** As it was asked for; null for the best ones there were. */
  dtype: z.union([Dtypes, z.record(z.string(), Dtypes)]).nullable(),
  modelType: z.string(),
  license: z.string().nullable(),
  /** ISO 8601. */
  pulledAt: z.string(),
  bytes: z.number(),
  files: z.array(
    z.object({ path: z.string(), bytes: z.number(), checksum: z.object({ kind: z.enum(['sha256', 'git']), hex: z.string() }) }),
  ),
})
export type PullRecord = z.infer<typeof PullRecord>

export interface PulledModel extends PullRecord {
  /** `HuggingFaceTB/SmolVLM-256M-Instruct@7e3e67ed`, and the formats where they were asked for. */
  readonly name: string
  /** What an engine loads. Its last part is that of the name on the hub. */
  readonly folder: string
}

/** The name of a model in the library: what it is, which commit, and which formats where they were asked for. */
export function nameOf({ id, commit, dtype }: { readonly id: string; readonly commit: string; readonly dtype: DtypeWish }): string {
  return `${id}@${[commit.slice(0, 8), ...formatsOf(dtype)].join('-')}`
}

function formatsOf(dtype: DtypeWish): string[] {
  if (dtype === null || typeof dtype === 'string') return dtype === null ? [] : [dtype]
  return Object.entries(dtype)
    .map((pair) => pair.join('.'))
    .sort()
}

/** Where a model of this name is, with its record. */
export interface Place {
  readonly slot: string
  /** The model's own folder, in it. */
  readonly folder: string
  /** Where it is put together. Kept when that is cut short, so that the next try goes on from there. */
  readonly partial: string
}

export function placeOf(home: string, name: string): Place {
  const [id = '', version = ''] = name.split('@')
  const [owner = '', model = ''] = id.split('/')
  const above = join(home, 'models', owner, model)
  return { slot: join(above, version), folder: join(above, version, model), partial: join(above, PARTIAL + version) }
}

/** All pulled models, the newest first. Folders without a readable record are none. */
export async function pulledModels(home: string): Promise<PulledModel[]> {
  const models = await Promise.all((await versionsIn(home)).map((name) => readPulled(home, name)))
  const there = models.filter((model) => model !== null)
  return there.sort((a, b) => b.pulledAt.localeCompare(a.pulledAt) || a.name.localeCompare(b.name))
}

/** Names of models whose download was cut short. */
export async function partialModels(home: string): Promise<string[]> {
  return (await versionsIn(home)).flatMap((name) => (name.includes(`@${PARTIAL}`) ? [name.replace(PARTIAL, '')] : []))
}

/** One model; null when it is not there. */
export async function readPulled(home: string, name: string): Promise<PulledModel | null> {
  const { slot, folder } = placeOf(home, name)
  const text = name.includes('@.') ? null : await readFile(join(slot, RECORD_FILE), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return { ...PullRecord.parse(JSON.parse(text)), name, folder }
  } catch {
    return null
  }
}

/**
 * The pulled models that a name stands for, the newest first: a full name (`OWNER/NAME@COMMIT`, or its beginning), that
 * on the hub, the last part of it, or its short name among the recommended ones.
 */
export async function findPulled(home: string, name: string): Promise<PulledModel[]> {
  const models = await pulledModels(home)
  const exact = models.filter((model) => model.name === name)
  if (exact.length > 0) return exact
  const named = models.filter(
    (model) => model.id === name || basename(model.id) === name || `${model.id}@${model.revision}` === name || begins(model, name),
  )
  if (named.length > 0) return named
  const short = await findRecommended(name)
  return models.filter(({ id }) => id === short?.id)
}

const begins = ({ id, commit, name }: PulledModel, text: string): boolean =>
  text.startsWith(`${id}@`) && (name.startsWith(text) || `${id}@${commit}`.startsWith(text))

/** Where a folder is moved to that is to be removed: out of sight. */
export const goneFrom = (folder: string): string => join(dirname(folder), `${REMOVED}${process.pid}-${basename(folder)}`)

/** Takes a model away: out of sight at once, then from the disk. What was cut short of it goes, too. */
export async function removePulled(home: string, name: string): Promise<void> {
  const { slot, partial } = placeOf(home, name)
  for (const from of [slot, partial]) {
    const gone = goneFrom(from)
    const isMoved = await rename(from, gone).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false
        throw error
      },
    )
    if (isMoved) await rm(gone, { recursive: true, force: true })
  }
  // Folders above it that are empty now; others stay.
  for (const above of [dirname(slot), dirname(dirname(slot))]) await rmdir(above).catch(() => {})
}

const Verified = z.object({ ok: z.boolean(), verifiedAt: z.string(), state: z.string() })

/** What `assay models verify` found last; null when it has not been asked, or files changed since. */
export async function readVerified(home: string, name: string): Promise<{ readonly ok: boolean; readonly verifiedAt: string } | null> {
  const { slot, folder } = placeOf(home, name)
  const text = await readFile(join(slot, VERIFIED_FILE), 'utf8').catch(() => null)
  try {
    const { ok, verifiedAt, state } = Verified.parse(JSON.parse(text ?? ''))
    return state === (await stateOf(folder)) ? { ok, verifiedAt } : null
  } catch {
    return null
  }
}

/** Keeps what was found beside the model, with the sizes and times that its files have now. */
export async function writeVerified(
  home: string,
  name: string,
  found: { readonly ok: boolean; readonly verifiedAt: string },
): Promise<void> {
  const { slot, folder } = placeOf(home, name)
  const path = join(slot, VERIFIED_FILE)
  await writeFile(`${path}.new`, `${JSON.stringify({ ...found, state: await stateOf(folder) }, null, 2)}\n`)
  await rename(`${path}.new`, path)
}

/** Hash over the names, sizes and times of all files of a folder. */
async function stateOf(folder: string): Promise<string> {
  const hash = createHash('sha256')
  for (const file of (await readdir(folder, { recursive: true })).sort()) {
    const found = await stat(join(folder, file))
    if (found.isFile()) hash.update(JSON.stringify([file, found.size, found.mtimeMs]))
  }
  return hash.digest('hex')
}

/** The model that answers when none is named: a name in the library, or a folder's path; null for the shipped one. */
export async function readDefaultModel(home: string): Promise<string | null> {
  const text = await readFile(join(home, DEFAULT_FILE), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return z.object({ model: z.string() }).parse(JSON.parse(text)).model
  } catch (cause) {
    const message = `${DEFAULT_FILE} in ${home} is not what \`assay models use\` writes; run that again, or remove the file`
    throw new EngineError('model_not_found', message, { cause })
  }
}

export async function writeDefaultModel(home: string, model: string | null): Promise<void> {
  const path = join(home, DEFAULT_FILE)
  if (model === null) return rm(path, { force: true })
  await makeFolder(home)
  await writeFile(`${path}.new`, `${JSON.stringify({ model }, null, 2)}\n`)
  await rename(`${path}.new`, path)
}

/** `OWNER/NAME@VERSION` of all there is, unfinished ones included. */
async function versionsIn(home: string): Promise<string[]> {
  const entries = async (folder: string): Promise<string[]> => (await readdir(folder).catch(() => [])).sort()
  const names: string[] = []
  for (const owner of await entries(join(home, 'models')))
    for (const model of await entries(join(home, 'models', owner)))
      for (const version of await entries(join(home, 'models', owner, model))) names.push(`${owner}/${model}@${version}`)
  return names
}
