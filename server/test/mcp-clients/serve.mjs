// The protocol between these programs and the test that starts them: one JSON object per line, in both directions.
import { createInterface } from 'node:readline'

export const send = message => void process.stdout.write(`${JSON.stringify(message)}\n`)

const describeError = error => ({ name: error?.name, code: error?.code, message: String(error?.message) })

/** Handles actions until standard input ends, so that no program outlives its test. Actions may overlap. */
export const serve = async actions => {
  const act = async ({ id, action, params }) => {
    try {
      send({ id, value: (await actions[action](params)) ?? null })
    } catch (error) {
      send({ id, error: describeError(error) })
    }
  }
  send({ event: 'ready' })
  for await (const line of createInterface({ input: process.stdin })) void act(JSON.parse(line))
  process.exit(0)
}
