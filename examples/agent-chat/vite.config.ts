import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    // Nothing inline: the server's content security policy allows none of it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
