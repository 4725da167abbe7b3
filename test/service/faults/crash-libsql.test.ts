import { LIBSQL_FILE } from '../databases.ts'
import { crashSuite } from './crash-suite.ts'

crashSuite(LIBSQL_FILE)
