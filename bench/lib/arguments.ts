// Parses the command line that several benches share: MODEL_FOLDER ROOT OUT.json FILE... [--limit N]

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
  const args = process.argv.slice(2)
  const limitAt = args.indexOf('--limit')
  const limit = limitAt < 0 ? null : Number(args.splice(limitAt, 2)[1])
  const [folder, root, out, ...files] = args
  if (folder === undefined || root === undefined || out === undefined || files.length === 0) {
    throw new Error(`usage: npx tsx bench/${program} MODEL_FOLDER ROOT OUT.json FILE... [--limit N]`)
  }
  return { folder, root, out, files, limit }
}
