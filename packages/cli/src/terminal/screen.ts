import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** How text for people is laid out: in the width of the terminal, with or without colors. */
export type Screen = {
  /** Infinite if the output is not a terminal, because programs and files need the whole text. */
  width: number
  paint: (style: Style, text: string) => string
}

export const PLAIN_SCREEN: Screen = { width: Number.POSITIVE_INFINITY, paint: (_style, text) => text }

type Environment = Record<string, string | undefined>
type OutputStream = { isTTY?: boolean | undefined; columns?: number | undefined }

/** https://no-color.org; FORCE_COLOR is for output that is not a terminal. */
export const usesColors = ({ isTTY = false }: OutputStream, environment: Environment): boolean => {
  if (environment.NO_COLOR) return false
  const forced = environment.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY && environment.TERM !== 'dumb'
}

export const openScreen = (stream: OutputStream, environment: Environment): Screen => ({
  width: stream.isTTY ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY,
  paint: usesColors(stream, environment)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : PLAIN_SCREEN.paint,
})
