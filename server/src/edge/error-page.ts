import { describeError, errorCodes } from '@carabiner/contract'
import { html } from '@remix-run/html-template'

/** Where every error's `documentation_url` leads: made from the same table as the errors. */
export const errorPage = (): string =>
  String(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Errors · Carabiner</title></head>
<body>
<main>
<h1>Errors</h1>
<p>Every refusal has a stable <code>code</code>. The request id in it is what to quote when asking about one.</p>
<dl>
${errorCodes.map(code => {
  const { status, type, carrier, text } = describeError(code)
  return html`<dt id="${code}"><code>${code}</code> · ${status} · ${type}${carrier === 'tool' ? ' · tool result' : null}</dt><dd>${text}</dd>\n`
})}
</dl>
</main>
</body>
</html>`)
