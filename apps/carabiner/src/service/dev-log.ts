import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type CliContext, printable } from '@carabiner/cli'

const SOURCES = { service: 'cyan', events: 'green', webhooks: 'yellow' } as const
export type LogSource = keyof typeof SOURCES

const WIDTH = Math.max(...Object.keys(SOURCES).map(name => name.length))

export type DevLog = (source: LogSource, line: string) => void

/** One log for all parts: each line starts with the name of its part. */
export const openDevLog = ({ terminal, screen }: Pick<CliContext, 'terminal' | 'screen'>): DevLog => {
  return (source, line) =>
    void terminal.print(`${screen.paint(SOURCES[source], `${source.padEnd(WIDTH)} |`)} ${line}`.trimEnd())
}

const LEVELS: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

/** The service logs JSON lines. Everything else is printed as it is. */
export const describeLogLine = (line: string): string => {
  try {
    const { level, msg, time: _time, pid: _pid, ...fields } = JSON.parse(line) as Record<string, unknown>
    const details = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    return printable([LEVELS[level as number] ?? level, msg, ...details].join('  '))
  } catch {
    return line
  }
}

export const eachLine = (stream: Readable, handle: (line: string) => void): void => {
  createInterface({ input: stream }).on('line', handle)
}
