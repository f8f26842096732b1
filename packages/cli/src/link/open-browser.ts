import { spawn } from 'node:child_process'

const COMMANDS: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a page in the browser of this machine. Returns whether a program for it was found. */
export const openBrowser = (url: string, environment: NodeJS.ProcessEnv): Promise<boolean> => {
  const [command, ...args] = COMMANDS[process.platform] ?? ['xdg-open']
  return new Promise(resolve => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, env: environment })
    child.on('error', () => resolve(false))
    child.on('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
