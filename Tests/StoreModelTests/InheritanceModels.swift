import SwiftData

@Model
class Vehicle {
    var name: String
    var wheels = 4
    var owner: Driver?
    @Relationship(inverse: \Trip.vehicle) var trips: [Trip] = []

    init(name: String) {
        self.name = name
    }
}

@Model
class Truck: Vehicle {
    var load: Double = 1.5
    var note: String?
    var mate: Driver?

    init(name: String, load: Double) {
        self.load = load
        super.init(name: name)
    }
}

@Model
final class Tanker: Truck {
    #Unique<Tanker>([\.plate])
    var plate: String
    var picture: Data?

    init(name: String, plate: String) {
        self.plate = plate
        super.init(name: name, load: 20)
    }
}

@Model
final class Bicycle: Vehicle {
    var gears: Int = 3
    var note: String?

    init(gears: Int) {
        self.gears = gears
        super.init(name: "bicycle")
        wheels = 2
    }
}

@Model
final class Driver {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Vehicle.owner) var vehicles: [Vehicle] = []

    init(name: String) { self.name = name }
}

@Model
final class Trip {
    var length: Int
    var vehicle: Vehicle?

    init(length: Int) { self.length = length }
}
