const MODULE = /\s*<script type="module" src="([^"]+)"><\/script>/g

/**
 * The documents are readable without scripts. Their scripts start after the first paint, because on a slow processor they would delay it
 * by more than a second. They are still requested at once.
 */
export const startAfterPaint = (document: string): string => {
  const modules = [...document.matchAll(MODULE)].map(([, source = '']) => source)
  if (modules.length === 0) throw new Error('VitePress has written no scripts.')
  const preloads = modules.map(source => `<link rel="modulepreload" href="${source}">`)
  const imports = modules.map(source => `await import(${JSON.stringify(source)})`).join(';')
  const start = `requestAnimationFrame(()=>setTimeout(async()=>{${imports}}))`
  return document
    .replace(MODULE, '')
    .replace('</head>', () => `  ${preloads.join('')}<script type="module">${start}</script>\n  </head>`)
}
