/**
 * The splits: training, held out with real frequencies (dev), held out and balanced (rare). Each has its own range of
 * page numbers, which these are added to.
 */
export type Split = 'train' | 'dev' | 'rare'
export const SEEDS: Readonly<Record<Split, number>> = { train: 0, dev: 50_000_000, rare: 60_000_000 }
export const isSplit = (name: string | undefined): name is Split => name !== undefined && name in SEEDS
