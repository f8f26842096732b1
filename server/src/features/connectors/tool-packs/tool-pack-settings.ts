import { type PackAccounts, type ToolPack, toolPackBounds } from '@carabiner/contract'
import {
  array,
  boolean,
  integer,
  jsonb,
  nullable,
  type SqlType,
  text,
  typed,
} from '../../../platform/database/sql-types.ts'
import { columnName } from '../../../platform/database/statement.ts'
import { readAccounts } from './read-accounts.ts'
import { readFavorites } from './read-favorites.ts'

export type PackServing = ToolPack['serving']

const setting = <Value>(
  type: SqlType<Value>,
  initial: Value,
  read: (given: Value) => Value = given => given,
) => ({ type, initial, read })

/**
 * The settings of a Tool Pack that have one column each, named as in the API. `initial`: the value of a new pack. `read` checks what the
 * schema of the API cannot.
 */
const SETTINGS = {
  description: setting(text, ''),
  resultLimit: setting(integer, toolPackBounds.resultLimit.default),
  resultHandles: setting(boolean, false),
  explainAccess: setting(boolean, false),
  renewalNotices: setting(boolean, false),
  tasks: setting(boolean, true),
  dailyCallLimit: setting(nullable(integer), null),
  serving: setting(typed<PackServing>(text), 'list'),
  favorites: setting(array(text), [], readFavorites),
  accounts: setting(typed<PackAccounts>(jsonb), {}, readAccounts),
}

type Settings = typeof SETTINGS
export type PackSettings = { [Name in keyof Settings]: Settings[Name]['initial'] }
type SnakeCase<Name> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeCase<Rest>}`
  : ''
type ShownSettings = { [Name in keyof Settings as SnakeCase<Name>]: PackSettings[Name] }
type GivenSettings = { [Name in keyof ShownSettings]?: ShownSettings[Name] | null | undefined }

const each = <Value>(map: (name: keyof Settings) => Value) =>
  Object.fromEntries(Object.keys(SETTINGS).map(name => [name, map(name as keyof Settings)]))

export const settingTypes = each(name => SETTINGS[name].type) as {
  [Name in keyof Settings]: Settings[Name]['type']
}
export const initialSettings = each(name => SETTINGS[name].initial) as PackSettings

/** The settings that a request contains. Null stands for the value of a new pack. */
export const readSettings = (given: GivenSettings): Partial<PackSettings> =>
  Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, { initial, read }]) => {
      const value = given[columnName(name) as keyof GivenSettings]
      if (value === undefined) return []
      return [[name, value === null ? initial : (read as (given: unknown) => unknown)(value)]]
    }),
  )

export const showSettings = (settings: PackSettings): ShownSettings =>
  Object.fromEntries(
    Object.keys(SETTINGS).map(name => [columnName(name), settings[name as keyof Settings]]),
  ) as ShownSettings
