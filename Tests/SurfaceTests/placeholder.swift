import SwiftData
import Testing
@Suite struct SurfaceTests {}
