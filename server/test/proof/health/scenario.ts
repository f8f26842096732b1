import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Surface = 'calls' | 'identity' | 'token'

export type Fault = {
  first_day: number
  every_days?: number
  times?: number
  minutes: number
  answers: 401 | 503
  on: Surface[]
  share?: number
  probability?: number
}

/** README.md in the folder of the scenarios explains the fields. */
export type Scenario = {
  name: string
  about: string
  accounts: number
  organizations: number
  app: 'service' | 'own' | 'key'
  calls_per_day: [min: number, max: number]
  faults?: Fault[]
  forbidden_tool?: { share_of_accounts: number; share_of_calls: number }
  endings?: { cause: 'revoked'; share: number; then: 'invalid_grant' | 'unauthorized' | 'revoked' }[]
  truth?: { idle_days?: number; max_days?: number }
  lifetime?: { idle_days?: number; max_days?: number; test_mode_days?: number }
  test_mode?: boolean
  refresh_token?: boolean
  access_days?: number
  linked_on?: [from: number, to: number]
  created_before_link?: { share: number; days: [min: number, max: number] }
  service_stopped?: { first_day: number; hours: number }[]
  heeds_warning?: number
}

const FOLDER = join(import.meta.dirname, 'scenarios')

export const readScenarios = (): Scenario[] =>
  globSync('*.json', { cwd: FOLDER })
    .toSorted()
    .map(file => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Scenario)
