/** Written by VitePress itself. theme.css has the same declarations. */
const KNOWN = / style="(?:position:relative;|--vp-vh:0px;)"/g

/** The content security policy rejects `style` attributes in a document. */
export const withoutStyleAttributes = (document: string, file: string): string => {
  const result = document.replace(KNOWN, '')
  const [unknown] = / style="[^"]*"/.exec(result) ?? []
  if (unknown) throw new Error(`${file} has an attribute that the policy rejects:${unknown}`)
  return result
}
