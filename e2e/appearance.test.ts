import { checkPages } from './support/appearance-suites.ts'

checkPages()
