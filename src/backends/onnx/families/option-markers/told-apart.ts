// By what else than `model_type` a folder of these models is known: that is the one of the encoder below.
import { isObject } from '../../../../core/untrusted.ts'
import type { ModelFolder } from '../../runtime/layout.ts'

/** Where jevhome says what its head is. */
export const JEVHOME_CONFIG = 'decision_config.json'

export const isLaya = ({ config }: Pick<ModelFolder, 'config'>): boolean => isObject(config.laya)

export const isJevhome = ({ files }: Pick<ModelFolder, 'files'>): boolean => files.includes(JEVHOME_CONFIG)
