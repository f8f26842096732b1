import { html, type SafeHtml } from '@remix-run/html-template'
import { layout } from './layout.ts'

type Problem = { code: string; description?: string | undefined; lead?: string }

/** Shown if there is no safe address to redirect the user to. The last line is for developers. */
export function problemPage({ code, description, lead }: Problem): SafeHtml {
  return layout({
    company: 'Notes',
    title: 'This did not work – Notes',
    body: html`<h1>This did not work</h1>
<p class="lead">${lead ?? 'Notes could not process this request. Nothing was connected or shared.'}</p>
<p class="fine">Go back to where you came from and try again.</p>
<p class="code">${code}${description ? `: ${description}` : ''}</p>`,
  })
}
