import type { ConnectorFile } from '@carabiner/contract'
import { Ajv } from 'ajv'
import { type Problem, problem } from './connector-problem.ts'

let forms: Ajv | undefined

/** Checks that every input schema is valid JSON Schema. Fast enough for startup. */
export const inputSchemaFormProblems = ({ tools }: ConnectorFile): Problem[] => {
  forms ??= new Ajv({ strict: false, logger: false })
  return tools.flatMap(({ input_schema }, index) =>
    forms?.validateSchema(input_schema) === true
      ? []
      : [
          problem(
            ['tools', index, 'input_schema'],
            `is not a valid schema: ${forms?.errorsText(forms.errors, { dataVar: '' })}`,
          ),
        ],
  )
}

/**
 * Compiles every input schema in strict mode, which detects misspelled keywords. It takes about two milliseconds per
 * tool, so it is used by `connectors check` and the tests, not at startup.
 */
export const inputSchemaProblems = ({ tools }: ConnectorFile): Problem[] => {
  const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false })
  return tools.flatMap(({ input_schema }, index) => {
    try {
      ajv.compile(input_schema)
      return []
    } catch (error) {
      return [problem(['tools', index, 'input_schema'], `is not a valid schema: ${(error as Error).message}`)]
    }
  })
}
