import { errorHelp } from '../packages/contract/src/error-help.ts'
import { describeError, type ErrorCode, errorCodes } from '../packages/contract/src/errors.ts'

/** The page `docs/errors.md`. Its address is part of every error (`documentation_url`). */
export const makeErrorPage = (): string => `---
title: Errors
section: reference
order: 50
---

<!-- Written by npm run docs:errors from packages/contract/src/errors.ts and error-help.ts. -->

# Errors

Every error has a stable \`code\`, a \`message\` for people, and the ID of the request. Write programs against the code; messages may change.

\`\`\`json
{
  "error": {
    "type": "validation_error",
    "code": "unauthorized_origin",
    "message": "Unauthorized origin: the origin of callback_url is not on the list of allowed callback origins.",
    "param": "callback_url",
    "request_id": "req_4fGh1kQp8Zs2Lw0x",
    "documentation_url": "https://connect.example.com/docs/errors#unauthorized_origin"
  }
}
\`\`\`

An HTTP error has this body and the listed status. A tool call that fails is a tool result with \`isError: true\`, and the same object as its
structured content and text. Programs read this list as JSON at the same address, without \`Accept: text/html\`.

${errorCodes.map(codeSection).join('\n\n')}
`

const statusOf = (code: ErrorCode): string => {
  const { status, carrier } = describeError(code)
  if (carrier === 'tool') return 'tool result'
  return carrier === 'both' ? `${status} or tool result` : String(status)
}

const codeSection = (code: ErrorCode): string => {
  const { type, text } = describeError(code)
  const { cause, fix } = errorHelp[code]
  return [
    `## \`${code}\``,
    `${statusOf(code)} · \`${type}\``,
    `> ${text.replaceAll('<', '&lt;')}`,
    `**Cause.** ${cause}`,
    `**Fix.** ${fix}`,
  ].join('\n\n')
}
