import { startThrowaway, type Throwaway } from 'carabiner/testing'
import type { FromService, ServiceSettings, ToService } from './messages.ts'

// The program of a child process: runs one service until the channel to the parent closes.
const send = (message: FromService): void => {
  if (process.connected) process.send?.(message)
}

const settings = JSON.parse(process.argv[2] ?? '{}') as ServiceSettings
const started = startThrowaway({ ...settings, onLog: log => send({ log }) })

const answer = async ({ method, argument }: ToService): Promise<unknown> => {
  const service: Throwaway = await started
  switch (method) {
    case 'start': {
      const { baseUrl, sandboxUrl, organization } = service
      return { baseUrl, sandboxUrl, organization }
    }
    case 'now':
      return service.now()
    case 'advanceClock':
      return service.advanceClock(argument)
    case 'stop':
      return service.stop()
  }
}

process.on('message', (message: ToService) => {
  answer(message)
    .then(result => send({ id: message.id, result }))
    .catch((error: Error) => send({ id: message.id, error: error.message }))
})
process.once('disconnect', () => {
  const exit = () => process.exit()
  started.then(service => service.stop()).then(exit, exit)
})
// An interrupt from the terminal reaches the parent as well, which closes the channel.
process.on('SIGINT', () => undefined)
