import type { ConnectorFile } from '@carabiner/contract'
import { Ajv } from 'ajv'
import { type Problem, problem } from './connector-problem.ts'

let forms: Ajv | undefined

/** Whether every input schema is one at all. Quick enough for the start. */
export const inputSchemaFormProblems = ({ tools }: ConnectorFile): Problem[] => {
  forms ??= new Ajv({ strict: false, logger: false })
  return tools.flatMap(({ input_schema }, index) =>
    forms?.validateSchema(input_schema) === true
      ? []
      : [
          problem(
            ['tools', index, 'input_schema'],
            `is not a schema: ${forms?.errorsText(forms.errors, { dataVar: '' })}`,
          ),
        ],
  )
}

/**
 * Compiles every input schema, with a stricter eye than calls have: a keyword that is misspelt would otherwise say nothing.
 * It takes about two milliseconds a tool, so it is for `connectors check` and the tests, and not for the start.
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
