import { checkDashboard } from './support/appearance-suites.ts'

checkDashboard()
