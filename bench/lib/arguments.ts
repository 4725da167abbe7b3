// Words of a bench's command line to a model, labelled files and where the result goes: MODEL_FOLDER ROOT OUT.json FILE... [--limit N]

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

/** Reads this process's command line; throws its usage when something is missing. `program`: the bench, for its usage. */
export function benchArguments(program: string): BenchArguments {
  const args = process.argv.slice(2)
  const limitAt = args.indexOf('--limit')
  const limit = limitAt < 0 ? null : Number(args.splice(limitAt, 2)[1])
  const [folder, root, out, ...files] = args
  if (folder === undefined || root === undefined || out === undefined || files.length === 0) {
    throw new Error(`usage: tsx bench/${program} MODEL_FOLDER ROOT OUT.json FILE... [--limit N]`)
  }
  return { folder, root, out, files, limit }
}
