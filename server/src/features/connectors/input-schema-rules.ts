import type { ConnectorFile } from '@carabiner/contract'
import { Ajv } from 'ajv'
import { type Problem, problem } from './connector-problem.ts'

/**
 * Compiles every input schema, with a stricter eye than calls have: a keyword that is misspelt would otherwise say nothing.
 * It takes about a millisecond a tool, so shipped files are judged by the tests and not at the start.
 */
export const inputSchemaProblems = ({ tools }: ConnectorFile): Problem[] => {
  const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false })
  return tools.flatMap(({ input_schema }, index) => {
    try {
      ajv.compile(input_schema)
      return []
    } catch (error) {
      return [problem(['tools', index, 'input_schema'], `is not a schema: ${(error as Error).message}`)]
    }
  })
}
