declare module '*.vue' {
  import type { Component } from 'vue'

  const component: Component
  export default component
}

declare module '@localSearchIndex' {
  /** By language. The index is JSON. */
  const index: Record<string, () => Promise<{ default: string }>>
  export default index
}
