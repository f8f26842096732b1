import type { CliCommand } from '../program/cli-command.ts'
import type { CliContext } from '../program/cli-context.ts'
import type { Output } from '../terminal/output.ts'
import { momentOf } from '../terminal/printable.ts'
import { openBrowser } from './open-browser.ts'
import { qrText } from './qr-text.ts'

export type PresentOptions = { open?: boolean; qr?: boolean }

export const presentOptions = (command: CliCommand): CliCommand =>
  command
    .option('--open', 'open the link in the browser of this machine')
    .option('--qr', 'also print the link as a QR code')

export const presentLink = async (
  { screen, terminal, environment, globals }: CliContext,
  { url, expiresAt }: { url: string; expiresAt: string },
  data: unknown,
  { open, qr }: PresentOptions,
): Promise<Output> => {
  if (!globals.json) terminal.notice(`Valid until ${momentOf(expiresAt)}.`)
  if (open && !(await openBrowser(url, environment)))
    terminal.notice('No browser was found on this machine. Open the link yourself.')
  const code = qr ? qrText(url, screen) : null
  return { text: code === null ? url : `${code}\n\n${url}`, data }
}
