import type { Queryable } from '../../src/platform/database/database.ts'
import type { Parameter, Statement } from '../../src/platform/database/statement.ts'

/** A statement with numbered parameters, as a driver would take it. Its rows have the names of the columns. */
export const plainStatement = <Row = Record<string, unknown>>(
  name: string,
  text: string,
): Statement<Parameter[], Row> => {
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  const order = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => String(index))
  return { name, text, parameters: {}, columns: undefined, order }
}

/** Runs SQL that belongs to no store. */
export const runSql = <Row = Record<string, unknown>>(
  db: Queryable,
  text: string,
  parameters: Parameter[] = [],
): Promise<Row[]> => db.query(plainStatement<Row>('', text), parameters)
