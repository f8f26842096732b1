import { html, type SafeHtml } from '@remix-run/html-template'
import { glyph } from './icons.ts'
import { heading, page } from './layout.ts'
import type { Frame } from './model.ts'
import { inline } from './words/sentence.ts'

/** The hosted page while its script exchanges the token. All messages are rendered up front, hidden. */
export function openingPage(frame: Frame): SafeHtml {
  const { opening, refused, tryAgain } = frame.words
  const { title, lead } = refused.invalid_link
  return page(frame, {
    title: opening.title,
    bar: null,
    main: html`<div class="ending" role="status">
<div class="picture pulse" aria-hidden="true">${glyph('open')}</div>
<div class="soon">${heading(opening.title)}</div>
<p class="lead slow" hidden>${inline(opening.slow)}</p>
<div class="invalid" hidden>${heading(title)}<p class="lead">${inline(lead(null))}</p></div>
<div class="unreachable" hidden><p class="lead">${inline(opening.unreachable)}</p><div class="actions"><button class="button primary" type="button" data-do="trade"><span>${inline(tryAgain)}</span></button></div></div>
<noscript><p class="lead">${inline(opening.noScript)}</p></noscript>
</div>`,
    foot: null,
  })
}
