import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

const PROGRAM = `
  import { stopOnSignal } from '${new URL('stop-on-signal.ts', import.meta.url).href}'
  const write = text => process.stdout.write(text + ' ')
  stopOnSignal({ stop: () => (write('stopping'), new Promise(() => {})), onInterrupt: () => write('interrupted') })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, write)
  setInterval(() => {}, 1000)
  write('ready')`

test('signals: a second SIGINT ends a stop at once, a second SIGTERM does not', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const exited = once(child, 'exit')
  const untilWritten = async (text: string): Promise<void> => {
    while (!output.endsWith(text)) output += String((await once(child.stdout, 'data'))[0])
  }
  await untilWritten('ready ')
  child.kill('SIGTERM')
  await untilWritten('stopping SIGTERM ')
  child.kill('SIGTERM')
  await untilWritten('stopping SIGTERM SIGTERM ')
  child.kill('SIGINT')
  await untilWritten('SIGINT ')
  child.kill('SIGINT')
  await untilWritten('interrupted ')
  assert.deepEqual(await exited, [130, null])
  assert.equal(output, 'ready stopping SIGTERM SIGTERM SIGINT interrupted ')
})
