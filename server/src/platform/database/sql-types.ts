/** The PostgreSQL type of a parameter or column, and the TypeScript type of its values. */
export type SqlType<Value> = {
  /** The type's name in `pg_type`. */
  readonly name: string
  readonly isNullable: boolean
  /** Whether the statement ensures that a nullable column has a value in its rows. */
  readonly isEnsured: boolean
  /** Whether values are serialized as JSON text. Drivers would serialize arrays differently. */
  readonly isJson: boolean
  /** Never set: carries the type of the values. */
  readonly value?: Value
}

export type AnySqlType = SqlType<unknown>
export type SqlTypes = Readonly<Record<string, AnySqlType>>

/** The values of named parameters, or of a row's columns. */
export type Values<Types extends SqlTypes> = {
  -readonly [Name in keyof Types]: Types[Name] extends SqlType<infer Value> ? Value : never
}

const sqlType = <Value>(name: string, isJson = false): SqlType<Value> => ({
  name,
  isJson,
  isNullable: false,
  isEnsured: false,
})

export const uuid = sqlType<string>('uuid')
export const text = sqlType<string>('text')
export const boolean = sqlType<boolean>('bool')
export const smallint = sqlType<number>('int2')
export const integer = sqlType<number>('int4')
/** Counts and sequence numbers, which stay below 2^53. */
export const bigint = sqlType<number>('int8')
export const real = sqlType<number>('float4')
export const double = sqlType<number>('float8')
export const bytea = sqlType<Buffer>('bytea')
export const timestamptz = sqlType<Date>('timestamptz')
export const date = sqlType<Date>('date')
export const json = sqlType<object>('json', true)
export const jsonb = sqlType<object>('jsonb', true)

export const nullable = <Value>(type: SqlType<Value>): SqlType<Value | null> => ({
  ...type,
  isNullable: true,
})

/** A nullable column that the statement's conditions ensure has a value. */
export const ensured = <Value>(type: SqlType<Value>): SqlType<Value> => ({ ...type, isEnsured: true })

export const array = <Value>(type: SqlType<Value>): SqlType<Value[]> => sqlType(`_${type.name}`)

/** The same SQL type with a more specific TypeScript type, such as `typed<Mode>(text)`. */
export const typed = <Value>(type: AnySqlType): SqlType<Value> => type as SqlType<Value>

/** The parameters of a statement that unnests several rows: one array for each column. */
export const arraysOf = <Types extends SqlTypes>(types: Types) =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, array(type)])) as {
    [Name in keyof Types]: SqlType<Values<Types>[Name][]>
  }

/** The values of those parameters. */
export const toArrays = <Types extends SqlTypes>(types: Types, rows: readonly Values<Types>[]) =>
  Object.fromEntries(Object.keys(types).map(name => [name, rows.map(row => row[name])])) as {
    [Name in keyof Types]: Values<Types>[Name][]
  }
