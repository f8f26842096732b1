import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import './theme.css'
import './code.css'
import './diagrams.css'
import './start-page.css'
import './search.css'
import './api-reference.css'
import Layout from './Layout.vue'
import OverviewDiagram from './OverviewDiagram.vue'

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app }) => {
    app.component('OverviewDiagram', OverviewDiagram)
  },
} satisfies Theme
