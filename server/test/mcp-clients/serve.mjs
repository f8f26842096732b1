// How the programs of this folder speak with the test that started them: one JSON object a line, in and out.
import { createInterface } from 'node:readline'

export const tell = said => void process.stdout.write(`${JSON.stringify(said)}\n`)

const describeError = error => ({ name: error?.name, code: error?.code, message: String(error?.message) })

/** Answers until its standard input ends, so that no program outlives its test. Actions may overlap. */
export const serve = async actions => {
  const act = async ({ id, action, params }) => {
    try {
      tell({ id, value: (await actions[action](params)) ?? null })
    } catch (error) {
      tell({ id, error: describeError(error) })
    }
  }
  tell({ event: 'ready' })
  for await (const line of createInterface({ input: process.stdin })) void act(JSON.parse(line))
  process.exit(0)
}
