/** Training, held out as pages are, held out and balanced. Splits have different pages and videos: these are added to their numbers. */
export type Split = 'train' | 'dev' | 'rare'
export const SEEDS: Readonly<Record<Split, number>> = { train: 0, dev: 50_000_000, rare: 60_000_000 }
export const isSplit = (name: string | undefined): name is Split => name !== undefined && name in SEEDS
