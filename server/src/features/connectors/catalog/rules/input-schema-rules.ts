import type { ConnectorFile } from '@carabiner/contract'
import { checkingSchema, SchemaError } from '../../../upstream/json-schema/parse-schema.ts'
import { type Problem, problem } from './connector-problem.ts'

/** Every input schema is valid JSON Schema. A keyword that is not known is a misspelled one, which would have no effect. */
export const inputSchemaProblems = ({ tools }: ConnectorFile): Problem[] =>
  tools.flatMap(({ input_schema }, index) => {
    try {
      checkingSchema(input_schema, { trusted: true, knownOnly: true })
      return []
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      return [problem(['tools', index, 'input_schema'], `is not a valid schema: ${error.message}`)]
    }
  })
