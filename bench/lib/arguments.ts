// Parses the command line that several benches share: MODEL_FOLDER ROOT OUT.json FILE... [--limit N]

/** Takes a flag and its value out of the arguments; null where it is not given. */
export function takeFlag(args: string[], flag: string): string | null {
  const at = args.indexOf(flag)
  return at < 0 ? null : (args.splice(at, 2)[1] ?? '')
}

/** Takes `--limit` out of the arguments; null where it is not given. Throws the usage for what is no whole number. */
export function takeLimit(args: string[], usage: string): number | null {
  const given = takeFlag(args, '--limit')
  if (given === null) return null
  if (/^[1-9]\d*$/.test(given)) return Number(given)
  throw new Error(`--limit takes a whole number from 1 on, not "${given}"; ${usage}`)
}

export interface BenchArguments {
  /** Model folder. */
  readonly folder: string
  /** Folder that image paths in the files are relative to. */
  readonly root: string
  /** Where the result is written. */
  readonly out: string
  /** Labelled rows: .jsonl, .jsonl.gz or .parquet. */
  readonly files: readonly string[]
  /** The first so many rows of each file; null: all. */
  readonly limit: number | null
}

/**
 * Reads this process's command line; throws the usage when something is missing. `program`: path of the bench in
 * bench/.
 */
export function benchArguments(program: string): BenchArguments {
  const usage = `usage: npx tsx bench/${program} MODEL_FOLDER ROOT OUT.json FILE... [--limit N]`
  const args = process.argv.slice(2)
  const limit = takeLimit(args, usage)
  const [folder, root, out, ...files] = args
  if (folder === undefined || root === undefined || out === undefined || files.length === 0) {
    throw new Error(usage)
  }
  return { folder, root, out, files, limit }
}
