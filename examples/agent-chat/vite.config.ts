import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    // The server's content security policy forbids inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
