import { POSTGRES } from '../databases.ts'
import { crashSuite } from './crash-suite.ts'

crashSuite(POSTGRES)
